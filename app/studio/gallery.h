// The examples as pictures with one line each; a double click opens a copy.
#pragma once

#include <QDialog>

namespace mw::app {

class Gallery : public QDialog {
    Q_OBJECT
public:
    explicit Gallery(QWidget* parent = nullptr);

signals:
    void chosen(const QString& path);
};

}  // namespace mw::app
