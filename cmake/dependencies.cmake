# Everything from the distribution's packages (scripts/setup); known differences between distributions live here.
find_package(PkgConfig REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenGL REQUIRED COMPONENTS OpenGL EGL)
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)

pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
add_library(mw_xxhash INTERFACE)
target_link_libraries(mw_xxhash INTERFACE PkgConfig::xxhash)

# LLVM as its one shared library; its headers are not ours to be warned about.
add_library(mw_llvm INTERFACE)
target_include_directories(mw_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(mw_llvm INTERFACE LLVM Threads::Threads)

add_library(stb INTERFACE)
find_path(STB_DIR stb_image_write.h PATHS /usr/include/stb REQUIRED)
target_include_directories(stb SYSTEM INTERFACE ${STB_DIR})

pkg_check_modules(epoxy REQUIRED IMPORTED_TARGET epoxy)
add_library(epoxy::epoxy ALIAS PkgConfig::epoxy)

# Plots of traces as SVG, PDF and PNG.
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo cairo-svg cairo-pdf)

if(MW_APP)
  find_package(glfw3 3.3 REQUIRED)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets OpenGL OpenGLWidgets Svg Concurrent Test)
  # Dear ImGui: library, headers, and the back ends' sources where the package has them.
  pkg_check_modules(imgui REQUIRED IMPORTED_TARGET imgui)
  add_library(mw_imgui INTERFACE)
  target_link_libraries(mw_imgui INTERFACE PkgConfig::imgui)
  find_path(QSCINTILLA_DIR Qsci/qsciscintilla.h PATHS /usr/include/x86_64-linux-gnu/qt6 /usr/include/qt6 PATH_SUFFIXES qt6 REQUIRED)
  find_library(QSCINTILLA_LIB NAMES qscintilla2_qt6 REQUIRED)
  find_path(QCUSTOMPLOT_DIR qcustomplot.h REQUIRED)
  find_library(QCUSTOMPLOT_LIB NAMES QCustomPlotQt6 qcustomplot-qt6 qcustomplotqt6 REQUIRED)
endif()

# FCL: nearest points of pairs with a cylinder, a cone or a mesh.
pkg_check_modules(fcl REQUIRED fcl)
add_library(mw_fcl INTERFACE)
target_include_directories(mw_fcl SYSTEM INTERFACE ${fcl_INCLUDE_DIRS})
target_link_directories(mw_fcl INTERFACE ${fcl_LIBRARY_DIRS})
target_link_libraries(mw_fcl INTERFACE ${fcl_LIBRARIES})

# Catch2: version 2 on Debian 12, version 3 after it; tests include tests/support/catch.h only.
find_package(Catch2 REQUIRED)

# Xlib and its XTEST extension: keys and mouse for the test that drives the studio.
if(MW_APP)
  find_package(X11 REQUIRED COMPONENTS Xtst)
endif()

# MuJoCo: to time a well-known engine in the same run, where it is installed.
find_path(MUJOCO_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIB mujoco)

# Simbody: with MuJoCo the outside opinion on every model (mech-crosscheck), where it is installed.
find_path(SIMBODY_DIR Simbody.h PATH_SUFFIXES simbody)
find_library(SIMBODY_LIB SimTKsimbody)
find_library(SIMBODY_MATH_LIB SimTKmath)
find_library(SIMBODY_COMMON_LIB SimTKcommon)
