import { createPrettyLog } from '@pawl/base/pretty-log'
import type { LogLine } from '@pawl/base/tell-line'
import type { Observation } from '@pawl/sandbox/platform/observe'
import type { ShowCase } from './case-lines.ts'
import { resourceKinds } from 'pawl-client/schemas/kind-of-resource'

/** Shows pawl's log live, with titles in place of ids, and keeps what the verdict needs. */
export interface Journey {
  /** Titles of the resources by id, in the order of their creation. */
  readonly titles: ReadonlyMap<string, string>
  /** Error of a handler's last failed run, by `<resource id> <handler>`. */
  readonly failures: ReadonlyMap<string, string>
  /** One line of pawl's log. */
  log(this: void, line: string): void
  /** The service was called, or changed a resource. */
  observed(this: void, observation: Observation): void
}

interface JourneyOptions {
  /** Prints each line of the log; absent: none. */
  print: ((text: string) => void) | undefined
  isColoured: boolean
  /** Shows how a case goes on; absent: not at all. */
  showCase: ShowCase | undefined
  /** Titles of the resources, in the order of their creation. */
  inOrder: readonly string[]
}

export function createJourney({ print, isColoured, showCase, inOrder }: JourneyOptions): Journey {
  const pretty = createPrettyLog({ isColoured })
  const titles = new Map<string, string>()
  const failures = new Map<string, string>()
  return {
    titles,
    failures,
    log(line) {
      // The lines come from pawl's own log.
      const entry = JSON.parse(line) as LogLine
      const { component, resource_id: id, handler, error } = entry
      if (component === 'audit') return
      if (error !== undefined) failures.set(`${id} ${handler}`, `${error.code}: ${error.message}`)
      showCase?.(titles.get(id ?? '') ?? '', entry)
      if (print === undefined) return
      // The message of a foreign error may quote its input.
      const shown = JSON.stringify({ ...entry, error: error && { ...error, foreign: undefined } })
      let text = pretty(shown)?.trimEnd()
      for (const [known, title] of titles) text = text?.replaceAll(known, title.padEnd(known.length))
      if (text !== undefined) print(text)
    },
    observed(one) {
      if (one.kind !== 'transition' || one.from !== undefined) return
      if (resourceKinds.some((kind) => kind === one.machine)) titles.set(one.id, inOrder[titles.size] ?? one.id)
    },
  }
}
