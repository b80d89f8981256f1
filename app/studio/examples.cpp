// Looks for models/ upwards from the program, so that a build folder, a copy and an installation all find it.
#include "app/studio/examples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace mw::app {
namespace {

QString findFolder(const QString& name) {
    QDir dir(QCoreApplication::applicationDirPath());
    for (int up = 0; up < 5; ++up) {
        for (const QString& candidate : {dir.filePath(name), dir.filePath("share/mechwright/" + name)})
            if (QFileInfo(candidate).isDir()) return candidate;
        if (!dir.cdUp()) break;
    }
    return {};
}

}  // namespace

std::vector<Example> examples() {
    std::vector<Example> list;
    const QString models = findFolder("models"), assets = findFolder("assets");
    if (models.isEmpty()) return list;
    for (const QFileInfo& info : QDir(models).entryInfoList({"*.mech"}, QDir::Files, QDir::Name)) {
        Example e;
        e.file = info.filePath().toStdString();
        e.name = info.completeBaseName();
        QFile file(info.filePath());
        if (file.open(QIODevice::ReadOnly)) {
            QString line = QString::fromUtf8(file.readLine(400)).trimmed();
            if (line.startsWith('#')) e.one_line = line.mid(1).trimmed();
        }
        const QString picture = assets + "/examples/" + e.name + ".png";
        if (!assets.isEmpty() && QFileInfo::exists(picture)) e.picture = picture;
        list.push_back(std::move(e));
    }
    return list;
}

std::string newPendulum() {
    return R"(# A pendulum. Press Space to let it swing; change a number and watch it follow.
mech 1
title "Pendulum"

body arm
  joint revolute y
  at 0 0 1
  mass 1  cg 0 0 -0.45
  inertia 0.02 0.02 0.002 0 0 0
  start (60*deg)
  slider (-pi) (pi)

shape rod on arm  capsule 0.02 0.5  at 0 0 -0.25
shape bob on arm  sphere 0.08  at 0 0 -0.5
)";
}

}  // namespace mw::app
