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
  /** Calls a resource by a name instead of its id. */
  name(this: void, id: string, name: string): void
  /** One event, about a resource or about none. */
  tell(this: void, who: Actor, id: string | undefined, text: string): void
}

const widestName = 25

/** Makes a journey that starts now; `isColoured` for terminals. */
export function createJourney(print: (line: string) => void, isColoured: boolean): Journey {
  const startedAt = Date.now()
  const names = new Map<string, string>()
  const paint = (style: Style, text: string) => (isColoured ? styleText(style, text, { validateStream: false }) : text)

  return {
    name: (id, name) => void names.set(id, name),
    tell(who, id, text) {
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1).padStart(5)
      const subject = (names.get(id ?? '') ?? id ?? '').padEnd(widestName)
      const told = who === 'failed' ? paint('red', text) : text
      print(`${paint('dim', `${seconds}s`)}  ${paint(actors[who], who.padEnd(8))}  ${subject}  ${told}`.trimEnd())
    },
  }
}
