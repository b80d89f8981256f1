// The list that completes words in the text editor: what the language allows at the caret, each with its line of help.
#pragma once

#include <QFrame>
#include <QString>
#include <string>
#include <vector>

#include "engine/mech/syntax_tree.h"

class QLabel;
class QListWidget;

namespace mw::app {

struct Proposal {
    std::string word;       ///< what is inserted
    std::string signature;  ///< "mass m"
    std::string help;
};

/// What may stand at `offset` (the start of the word being typed is found from the text), best first.
std::vector<Proposal> proposalsAt(const mech::SyntaxTree& tree, std::size_t offset, std::string& prefix);

class CompletionPopup : public QFrame {
    Q_OBJECT
public:
    explicit CompletionPopup(QWidget* editor);
    void offer(std::vector<Proposal> proposals, const QPoint& below_caret, int line_height);
    /// True when the popup used the key.
    bool handleKey(int key);
    const Proposal* current() const;

signals:
    void chosen(const QString& word);

private:
    QListWidget* list_;
    QLabel* help_;
    std::vector<Proposal> proposals_;
};

}  // namespace mw::app
