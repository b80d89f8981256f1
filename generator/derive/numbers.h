// Numbers of a model as expressions: constants, or what a live parameter makes of them at run time.
#pragma once

#include "engine/model/model.h"
#include "generator/derive/algebra.h"

namespace mw::gen {

Expr numberExpr(Graph& graph, const Number& number);
Vec vectorExpr(Graph& graph, const Number3& numbers);
Mat identity(Graph& graph);
/// R = Rz(yaw) Ry(pitch) Rx(roll).
Mat rotationExpr(Graph& graph, const Number3& roll_pitch_yaw);
/// A rotation whose third column is the unit vector `axis`.
Mat frameAlong(Graph& graph, const Vector3d& axis);
/// The product of two rotations, entries within rounding of 0, 1 and -1 set to them.
Mat turned(Graph& graph, const Mat& a, const Mat& b);
bool isIdentity(const Mat& a);
bool isConstant(const Mat& a);
/// Body-to-base matrix of a unit quaternion w x y z.
Mat quaternionMatrix(Graph& graph, const std::array<Expr, 4>& q);

}  // namespace mw::gen
