// Texts with bands for tests.
#pragma once

#include <fmt/format.h>
#include <string>

namespace mw::test {

/// A bench on which one band runs around a sprocket, an idler and a wheel between; `lines` go into the track, `hull`
/// into the root's body.
inline std::string bandText(const std::string& lines = "", int shoes = 24,
                            const std::string& hull = "joint floating  start 1 0 0 0 0 0 1") {
    return fmt::format(R"(mech 1
body hull
  {1}
  mass 500  inertia 20 40 50 0 0 0
body sprocket
  parent hull  joint revolute y  at 0.8 0.5 0.1
  mass 20  inertia 0.4 0.7 0.4 0 0 0
  fext
body idler
  parent hull  joint revolute y  at -0.8 0.5 0
  mass 20  inertia 0.4 0.7 0.4 0 0 0
  fext
body wheel
  parent hull  joint revolute y  at 0 0.5 -0.1
  mass 20  inertia 0.4 0.7 0.4 0 0 0
  fext
track band
  root hull
  shoes {0}
  mass 8  cg 0.1 0 0  inertia 0.05 0.02 0.06 0 0 0
  fext
  roller sprocket 0.25 end driven teeth 8
  roller idler 0.25 end
  roller wheel 0.2
  pad -0.03 0.18 0.3  thickness 0.03
  kn 1e6
  {2}
)",
                       shoes, hull, lines);
}

}  // namespace mw::test
