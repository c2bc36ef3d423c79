// SingleFlight: of several threads that want the same thing made, one makes it. Thread-safe.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "flashwave/status.hpp"

namespace flashwave {

template <class Key, class Value, class Hash>
class SingleFlight {
  public:
    struct Flight {
        std::mutex mutex;
        std::condition_variable landed;
        std::unique_ptr<Value> value;
    };

    /// Either the caller is first and must land() this flight, or somebody is under way already.
    struct Ticket {
        std::shared_ptr<Flight> flight;
        bool first = false;
    };

    Ticket board(const Key& key) {
        const std::lock_guard lock(mutex_);
        const auto [at, first] = flights_.try_emplace(key);
        if (first) at->second = std::make_shared<Flight>();
        return {at->second, first};
    }

    /// Gives `value` to all who wait. The next to board starts anew, so a failure is not remembered.
    void land(const Key& key, const Ticket& ticket, Value value) {
        {
            const std::lock_guard lock(mutex_);
            flights_.erase(key);
        }
        const std::lock_guard lock(ticket.flight->mutex);
        ticket.flight->value = std::make_unique<Value>(std::move(value));
        ticket.flight->landed.notify_all();
    }

    static Value wait(const Ticket& ticket) {
        std::unique_lock lock(ticket.flight->mutex);
        ticket.flight->landed.wait(lock, [&] { return ticket.flight->value != nullptr; });
        return *ticket.flight->value;
    }

    /// Lands a flight that an exception left in the air, so that nobody waits for it forever.
    class Landing {
      public:
        Landing(SingleFlight& flights, const Key& key, const Ticket& ticket) : flights_(flights), key_(key), ticket_(ticket) {}
        ~Landing() {
            if (std::uncaught_exceptions() > before_)
                flights_.land(key_, ticket_, Value(Status(Code::internal, "the thread that made it was interrupted by an exception")));
        }
        Landing(const Landing&) = delete;
        Landing& operator=(const Landing&) = delete;

      private:
        SingleFlight& flights_;
        const Key& key_;
        const Ticket& ticket_;
        const int before_ = std::uncaught_exceptions();
    };

  private:
    std::mutex mutex_;
    std::unordered_map<Key, std::shared_ptr<Flight>, Hash> flights_;
};

}  // namespace flashwave
