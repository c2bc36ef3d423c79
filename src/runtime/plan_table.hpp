// PlanTable: key -> plan, for any number of threads. A look-up shares a lock that is held exclusively only for the
// moment in which a finished plan is put in; it allocates nothing. Plans stay until the table goes, so what was found
// stays valid.
#pragma once

#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "runtime/plan.hpp"

namespace flashwave {

struct ProblemKeyHash {
    std::size_t operator()(const ProblemKey& key) const { return static_cast<std::size_t>(quick_hash(key)); }
};

class PlanTable {
  public:
    /// nullptr where there is none yet.
    const Plan* find(const ProblemKey& key) const {
        const std::shared_lock lock(mutex_);
        const auto found = plans_.find(key);
        return found == plans_.end() ? nullptr : found->second;
    }

    /// Takes the plan over and makes it the one of its key; the one before stays loaded for those who still use it.
    const Plan* put(std::unique_ptr<Plan> plan) {
        const std::unique_lock lock(mutex_);
        const Plan* current = owned_.emplace_back(std::move(plan)).get();
        plans_[current->key()] = current;
        return current;
    }

  private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<ProblemKey, const Plan*, ProblemKeyHash> plans_;
    std::vector<std::unique_ptr<Plan>> owned_;
};

}  // namespace flashwave
