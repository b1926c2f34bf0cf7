import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

interface LogLine {
  msg: string
  resource_id?: string
  event_id?: number
  event_type?: string
  status?: string
  handler?: string
  count?: number
  retry_in_ms?: number
  error?: { code: string }
}

/** Prints the journey, one line an event, as it happens. */
export interface Journey {
  /** Calls a resource by a name instead of its id. */
  name(this: void, id: string, name: string): void
  /** What happens at the service. */
  service(this: void, id: string, text: string): void
  /** One line of pawl's log. */
  log(this: void, line: string): void
}

const widestName = 27

/** Makes a journey that starts now; `isColoured` for terminals. */
export function createJourney(print: (line: string) => void, isColoured: boolean): Journey {
  const startedAt = Date.now()
  const names = new Map<string, string>()
  const paint = (style: Style, text: string) => (isColoured ? styleText(style, text, { validateStream: false }) : text)

  function line(who: string, style: Style, id: string | undefined, text: string): void {
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1).padStart(5)
    const subject = (names.get(id ?? '') ?? id ?? '').padEnd(widestName)
    print(`${paint('dim', `${seconds}s`)}  ${paint(style, who.padEnd(8))}  ${subject}  ${text}`)
  }

  return {
    name: (id, name) => void names.set(id, name),
    service: (id, text) => line('service', 'cyan', id, text),
    log(text) {
      // The lines come from pawl's own log, whose fields these are.
      const entry = JSON.parse(text) as LogLine
      const { msg, resource_id: id } = entry
      if (msg === 'delivery') {
        const isCopy = entry.status === 'duplicate'
        const verdict = isCopy ? `copy of event ${entry.event_id}` : `event ${entry.event_id}`
        line('receive', isCopy ? 'yellow' : 'green', id, `${entry.event_type}: ${verdict}`)
      } else if (msg === 'handled') {
        if (entry.count === 0) line('handle', 'dim', id, paint('dim', `${entry.handler}: nothing to change`))
        else line('handle', 'blue', id, `${entry.handler}: ${entry.count} written`)
      } else if (entry.error !== undefined) line('pawl', 'red', id, `${msg} (${entry.error.code})`)
    },
  }
}
