// Rows for people: aligned columns of text on a stream. Numbers stand on the right.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace flashwave::cli {

struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;  ///< each as long as columns

    std::string to_text() const;
    void print(std::FILE* stream) const;
};

}  // namespace flashwave::cli
