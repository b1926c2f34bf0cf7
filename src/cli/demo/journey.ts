import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Actors, and their colours on a terminal. */
const actors = {
  service: 'cyan',
  receive: 'green',
  copy: 'yellow',
  'ask API': 'magenta',
  handle: 'blue',
  chart: 'bold',
  pharmacy: 'bold',
  log: 'white',
  failed: 'red',
} as const satisfies Record<string, Style>
export type Actor = keyof typeof actors

/** Prints the journey live, one line per event. */
export interface Journey {
  /** Resources called by a name instead of their id. */
  readonly names: Map<string, string>
  /** One event, about a resource or about none. */
  tell(this: void, who: Actor, id: string | undefined, text: string): void
}

const widestName = 25

/** Makes a journey that starts with its first event; `isColoured` for terminals. */
export function createJourney(print: (line: string) => void, isColoured: boolean): Journey {
  let startedAt: number | undefined
  const names = new Map<string, string>()
  const paint = (style: Style, text: string) => (isColoured ? styleText(style, text, { validateStream: false }) : text)

  return {
    names,
    tell(who, id, text) {
      startedAt ??= Date.now()
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1).padStart(5)
      const subject = (names.get(id ?? '') ?? id ?? '').padEnd(widestName)
      const told = who === 'failed' ? paint('red', text) : text
      print(`${paint('dim', `${seconds}s`)}  ${paint(actors[who], who.padEnd(8))}  ${subject}  ${told}`.trimEnd())
    },
  }
}
