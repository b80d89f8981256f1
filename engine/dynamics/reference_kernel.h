// The reference: dense 6x6 spatial algebra straight from the book (RBDA), by two routes that share nothing but the
// Topology. It runs a mechanism until the generated kernel is there, and it is what generated code is proven against.
#pragma once

#include <memory>

#include "engine/kernel/kernel.h"
#include "engine/model/model.h"

namespace mw {

enum class ReferenceRoute {
    crba,  ///< RNEA bias + CRBA mass matrix + a generic solve
    aba    ///< articulated bodies: a factorisation of the configuration, then a solve per right-hand side
};

/// Keeps a copy of the model. The kernel's struct points to data: `context` is set.
Kernel makeReferenceKernel(const Model& model, ReferenceRoute route = ReferenceRoute::crba);

}  // namespace mw
