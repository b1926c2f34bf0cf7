import type { Observe } from '../platform/observe.ts'
import { showHidden } from '@pawl/base/show-hidden'
import { prettyLine } from './pretty-line.ts'

/** `auto`: lines for people on a terminal, JSON elsewhere. */
export type OutputMode = 'auto' | 'json' | 'pretty' | 'quiet'

/** Prints observations of a running sandbox. */
export interface Terminal {
  /** Prints the welcome: the text for people, the fields for programs. */
  welcome(text: string, fields: object): void
  observe: Observe
}

/** Prints to a stream, with colors if it is a terminal that supports them and NO_COLOR is unset. */
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
  const json = (fields: object) => write(showHidden(JSON.stringify({ time: now().toISOString(), ...fields })))
  switch (mode) {
    case 'quiet':
      return { welcome: () => {}, observe: () => {} }
    case 'json':
      return { welcome: (_text, fields) => json({ kind: 'listening', ...fields }), observe: json }
    case 'pretty':
      return { welcome: (text) => write(text), observe: (one) => write(prettyLine(one, now(), hasColors)) }
  }
}
