import type { Observe } from '../platform/observe.ts'
import { prettyLine } from './pretty-line.ts'

/** `auto`: lines for people on a terminal, JSON elsewhere. */
export type OutputMode = 'auto' | 'json' | 'pretty' | 'quiet'

/** Where a running sandbox tells what happens. */
export interface Terminal {
  /** Prints how to begin: the text for people, the fields for programs. */
  welcome(text: string, fields: object): void
  observe: Observe
}

/** Creates the terminal over a stream, which gets colors only where it is a terminal that has them (NO_COLOR says that it has none). */
export function createTerminal(deps: {
  mode: OutputMode
  stream: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; hasColors?: () => boolean }
  now: () => Date
}): Terminal {
  const { stream, now } = deps
  const isTerminal = stream.isTTY === true
  const mode = deps.mode === 'auto' ? (isTerminal ? 'pretty' : 'json') : deps.mode
  const hasColors = isTerminal && stream.hasColors?.() === true
  const write = (line: string) => void stream.write(`${line}\n`)
  const json = (fields: object) => write(JSON.stringify({ time: now().toISOString(), ...fields }))
  switch (mode) {
    case 'quiet':
      return { welcome: () => {}, observe: () => {} }
    case 'json':
      return { welcome: (_text, fields) => json({ kind: 'listening', ...fields }), observe: json }
    case 'pretty':
      return { welcome: (text) => write(text), observe: (one) => write(prettyLine(one, now(), hasColors)) }
  }
}
