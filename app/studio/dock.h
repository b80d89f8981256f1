// A dock with our own head: name in bold, a secondary line beside it, buttons at the right end.
#pragma once

#include <QDockWidget>
#include <QLabel>

class QHBoxLayout;

namespace mw::app {

class Dock : public QDockWidget {
    Q_OBJECT
public:
    /// `head`: with a head row; docks that live in tabs have none, the tab says the name.
    Dock(const QString& name, const QString& title, QWidget* content, bool head, QWidget* parent = nullptr);
    void setNote(const QString& note);  ///< the secondary text of the head
    void addHeadWidget(QWidget* widget);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showHead(bool head);
    void fitNote();
    QString said_;
    bool head_ = true;
    QWidget* bar_ = nullptr;
    QWidget* none_ = nullptr;
    QHBoxLayout* row_ = nullptr;
    QLabel* title_ = nullptr;
    QLabel* note_ = nullptr;
};

/// A label in the secondary colour, or with another role of the style sheet.
QLabel* roleLabel(const QString& text, const char* role = "secondary", QWidget* parent = nullptr);
/// A page's content, or in its place the reason why there is none.
class ContentOrReason {
public:
    explicit ContentOrReason(QWidget* page);
    QWidget* content() const { return content_; }
    void because(const QString& why);  ///< an empty reason: the content is shown

private:
    QLabel* reason_;
    QWidget* content_;
};
/// A thin horizontal line.
QWidget* thinLine(QWidget* parent = nullptr);

}  // namespace mw::app
