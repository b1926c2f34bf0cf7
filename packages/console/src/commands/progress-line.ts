/** Progress of a long operation. */
export interface ProgressLine {
  show(this: void, progress: { done: number; total: number; what: string }): void
  /** Ends the line. */
  end(this: void): void
}

const barWidth = 30

/** One line, redrawn on a terminal; elsewhere a line for every tenth of the work. */
export function createProgressLine(out: { isTTY?: boolean; write(text: string): unknown }): ProgressLine {
  const count = new Intl.NumberFormat('en-US')
  let lastTenth = -1
  let isOpen = false
  return {
    show({ done, total, what }) {
      const share = total === 0 ? 1 : done / total
      const text = `${count.format(done)} of ${count.format(total)} rows, ${what}`
      if (out.isTTY === true) {
        const bar = '█'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '░')
        out.write(`\r${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${text}\u001B[K`)
        isOpen = true
        return
      }
      const tenth = Math.floor(share * 10)
      if (tenth <= lastTenth) return
      lastTenth = tenth
      out.write(`${String(Math.floor(share * 100)).padStart(3)} %  ${text}\n`)
    },
    end() {
      if (isOpen) out.write('\n')
      isOpen = false
    },
  }
}
