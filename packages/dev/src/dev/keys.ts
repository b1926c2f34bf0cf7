import type { ReadStream } from 'node:tty'

/** Calls the action of a key when it is pressed; Ctrl-C and Ctrl-D count as `q`. */
export function listenToKeys(
  terminal: ReadStream,
  actions: Readonly<Record<'p' | 'b' | 'r' | 's' | 'q', () => void>>,
): void {
  // Raw mode delivers each key at once, and Ctrl-C as a key.
  terminal.setRawMode(true).setEncoding('utf8')
  terminal.on('data', (keys: string) => {
    for (const key of keys) {
      if (key === 'p' || key === 'b' || key === 'r' || key === 's') actions[key]()
      if (key === 'q' || key === '\u0003' || key === '\u0004') actions.q()
    }
  })
}
