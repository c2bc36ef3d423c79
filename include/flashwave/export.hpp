// FLASHWAVE_API marks what the shared library exports; everything else is hidden.
#pragma once

#define FLASHWAVE_API [[gnu::visibility("default")]]
