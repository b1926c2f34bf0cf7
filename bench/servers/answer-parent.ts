/** Answers the parent's questions by name. */
export function answerParent(questions: Record<string, () => unknown> = {}): void {
  process.on('message', (question: string) => void answer(question))
  // The end of the parent ends its servers.
  process.on('disconnect', () => process.exit())

  async function answer(question: string): Promise<void> {
    process.send?.({ question, answer: await questions[question]?.() })
  }
}
