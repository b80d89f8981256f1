// Texts that tests of the language share.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

inline std::string crankText() {
    return "mech 1\n"
           "title \"Crank with a spring\"\n"
           "gravity 0 0 -9.81\n"
           "\n"
           "param crank_length 0.17  range 0.1 0.3\n"
           "param k 400  range 0 5000  live\n"
           "let rod_length = 3*crank_length\n"
           "\n"
           "body crank\n"
           "  joint revolute y                   # parent base by default\n"
           "  at 0 0 0.25\n"
           "  mass 1.2  cg (crank_length/2) 0 0\n"
           "  inertia 1e-3 4e-3 4e-3 0 0 0\n"
           "  start (40*deg)                     # closed to the last bit: see rod and slider\n"
           "body rod\n"
           "  parent crank\n"
           "  joint revolute y\n"
           "  at crank_length 0 0\n"
           "  mass 0.8  cg (rod_length/2) 0 0\n"
           "  inertia 1e-3 1.4e-2 1.4e-2 0 0 0\n"
           "  start (-40*deg - asin(sin(40*deg)/3))\n"
           "body slider\n"
           "  joint prismatic x\n"
           "  at 0 0 0.25\n"
           "  mass 2\n"
           "  start (crank_length*cos(40*deg) + rod_length*cos(asin(sin(40*deg)/3)))\n"
           "\n"
           "loop pin\n"
           "  type point-on-line                 # a planar loop closed by a revolute would be overconstrained\n"
           "  from rod rod_length 0 0\n"
           "  to slider 0 0 0\n"
           "  axis y\n"
           "\n"
           "poi wall on base at 1.1 0 0.25\n"
           "poi lug on slider at 0.05 0 0\n"
           "tsda back from lug to wall  k k  c 12  l0 0.35\n"
           "drive motor joint crank  speed 6.28  gain 20\n"
           "shape block on slider  box 0.14 0.1 0.09  color 0.5 0.63 0.56\n";
}

/// The later parts of the language, as its page shows them.
inline std::string laterText() {
    return "mech 1\n"
           "track left\n"
           "  root hull\n"
           "  plane xz\n"
           "  shoes 63  pitch 0.154              # link length = perimeter / shoes\n"
           "  mass 18.02  cg 0.0752 0 0  inertia 0.22 0.04 0.25 0 0 0\n"
           "  fext\n"
           "  roller sprocket 0.245 end driven teeth 10\n"
           "  roller idler 0.255 end\n"
           "  roller wheel1 0.305\n"
           "  pad -0.03 0.154 0.38  thickness 0.03\n"
           "  kn 2.5e6  kt 2.5e6  mu 0.8\n"
           "tendon flexor                                              # spatial\n"
           "  width 0.004  color 0.9 0.35 0.08 1\n"
           "  site palm 0 0 0.01\n"
           "  cylinder knuckle 0 0 0  axis y  radius 0.012  side palm 0 0 0.03  mu 0\n"
           "  site tip 0.02 0 0.005\n"
           "  pulley 2                                                 # starts a branch of divisor 2\n"
           "  site tip 0.02 0 0.005\n"
           "  site palm 0.05 0 0\n"
           "  stiffness 500  damping 1  spring -inf 0.12               # N/m\n"
           "  limits -inf 0.2  margin 0  compliance 0  correction 0.2  # equal values: a lock\n"
           "  friction 0.5  friction-compliance 0  armature 0.01\n"
           "  reference 0.31                                           # m; absent: length at load\n"
           "  actuator (-20*t)  target 0.1  target-rate 0  kp 0  kv 0  tau 0.05  range -200 0  state 0\n"
           "  feed (0.05*t)  side-rule nearest\n"
           "tendon differential fixed\n"
           "  term left_wheel 0.02\n"
           "  term arm.2 -0.02\n"
           "contact\n"
           "  solver pgs  cone disc  mix mean  iterations 50  warm on\n"
           "ground\n"
           "  plane 0 0 1 -0.55\n"
           "  wave 0.05 1.5 direction 0.3\n"
           "  step 0.1 at 2 width 0.05\n"
           "  bump 1 0 0.1 0.4\n"
           "  kn 1e6  friction anchored\n"
           "material rubber\n"
           "  mu 1.1  solimp 0.9 0.95 0.001 0.5 2\n"
           "pair rubber rubber\n"
           "  mu 0.9\n"
           "exclude hull base\n"
           "sensor foot on hull  against base\n"
           "coupling mirror first flexor second differential  poly 0 -1 0 0 0\n";
}

inline std::vector<std::string> modelTexts() {
    std::vector<std::string> texts = {crankText(), laterText()};
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(MW_SOURCE_DIR) / "models")) {
        if (entry.path().extension() != ".mech") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        std::stringstream text;
        text << file.rdbuf();
        texts.push_back(text.str());
    }
    return texts;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}
