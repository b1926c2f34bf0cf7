/** Resource usage, which the parent process can ask of any server here. */
export interface Usage {
  /** Of all threads since the start, in milliseconds. */
  cpuMs: number
  rssBytes: number
}

/** Answers the parent's questions by name; every server knows `usage`. */
export function answerParent(questions: Record<string, () => unknown> = {}): void {
  const all: Record<string, () => unknown> = { usage: readUsage, ...questions }
  process.on('message', (question: string) => void answer(question))
  // The end of the parent ends its servers.
  process.on('disconnect', () => process.exit())

  async function answer(question: string): Promise<void> {
    process.send?.({ question, answer: await all[question]?.() })
  }
}

function readUsage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1_000, rssBytes: process.memoryUsage.rss() }
}
