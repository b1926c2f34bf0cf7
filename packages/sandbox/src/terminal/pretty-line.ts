import { styleText } from 'node:util'
import { showHidden } from '@pawl/base/show-hidden'
import type { Observation } from '../platform/observe.ts'

/** Formats an observation for people: wall-clock time, kind, answer, subject. */
export function prettyLine(observation: Observation, at: Date, hasColors: boolean): string {
  const paint = (color: Color, text: string) => (hasColors ? styleText(color, text, { validateStream: false }) : text)
  const time = at.toTimeString().slice(0, 8)
  const { answer, text } = partsOf(observation)
  const shown = paint(colorOf(observation), answer.padEnd(answerWidth))
  return `${paint('dim', time)}  ${observation.kind.padEnd(kindWidth)}  ${shown}  ${showHidden(text)}`.trimEnd()
}

type Color = 'dim' | 'green' | 'yellow' | 'red' | 'cyan'

const kindWidth = 'transition'.length
/** Width of a status; a longer reason shifts the rest of its line. */
const answerWidth = 3

function partsOf(observation: Observation): { answer: string; text: string } {
  switch (observation.kind) {
    case 'request': {
      const { method, path, status, code, duration_ms: took } = observation
      const answer = status === undefined ? '---' : String(status)
      const ending = status === undefined ? 'no answer' : `${took} ms`
      return { answer, text: `${method.padEnd(5)} ${path}  ${code ?? ending}` }
    }
    case 'refusal':
      return { answer: String(observation.status), text: observation.reasons.join(' | ') }
    case 'transition': {
      const { machine, id, from, to, detail } = observation
      const moved = from === undefined ? to : `${from} → ${to}`
      return { answer: '', text: `${id}  ${part(machine)}${moved}${detail === undefined ? '' : `  ${detail}`}` }
    }
    case 'delivery': {
      const { event_type, resource_id, host, attempt, status, error, state, chaos = [] } = observation
      const notes = [
        `attempt ${attempt}`,
        ...(error === undefined ? [] : [error]),
        ...(state === 'given_up' ? ['given up'] : []),
        ...(chaos.length === 0 ? [] : [`chaos: ${chaos.join(', ')}`]),
      ]
      const answer = status === undefined ? '---' : String(status)
      return { answer, text: `${resource_id}  ${event_type} → ${host}  ${notes.join(', ')}` }
    }
  }
}

/** Names the part of a PA; a resource's id shows its kind already. */
function part(machine: string): string {
  return machine === 'prescription_transfer' || machine === 'benefits_check' ? `${machine.replaceAll('_', ' ')}: ` : ''
}

function colorOf(observation: Observation): Color {
  if (observation.kind === 'transition') return 'cyan'
  const { status } = observation
  if (status === undefined || status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
