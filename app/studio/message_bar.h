// A line over the view that says something important and what can be done about it; it never blocks the window.
#pragma once

#include <QFrame>
#include <functional>
#include <utility>
#include <vector>

class QLabel;
class QHBoxLayout;

namespace mw::app {

class MessageBar : public QFrame {
    Q_OBJECT
public:
    using Choice = std::pair<QString, std::function<void()>>;
    explicit MessageBar(const QString& name, QWidget* parent = nullptr);
    /// `tone`: "info", "caution" or "bad".
    void say(const QString& text, const char* tone, std::vector<Choice> choices);

signals:
    void placeWanted();  ///< it came, went or says something else

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QLabel *sign_, *text_;
    QHBoxLayout* buttons_;
};

}  // namespace mw::app
