import type { ReadStream } from 'node:tty'

/** Calls what a key stands for as soon as it is pressed; Ctrl-C and Ctrl-D are `q`. */
export function listenToKeys(terminal: ReadStream, actions: Readonly<Record<'p' | 'b' | 'q', () => void>>): void {
  // In raw mode no line has to be ended, and Ctrl-C is a key like any other.
  terminal.setRawMode(true).setEncoding('utf8')
  terminal.on('data', (keys: string) => {
    for (const key of keys) {
      if (key === 'p' || key === 'b') actions[key]()
      if (key === 'q' || key === '\u0003' || key === '\u0004') actions.q()
    }
  })
}
