// Everything of the C++ surface.
#pragma once

#include "flashwave/attention.hpp"
#include "flashwave/log.hpp"
#include "flashwave/options.hpp"
#include "flashwave/runtime.hpp"
#include "flashwave/status.hpp"
#include "flashwave/tensor.hpp"
#include "flashwave/version.hpp"
