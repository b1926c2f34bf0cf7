import { InvalidArgumentError } from 'commander'
import { parseJson } from '@pawl/base/parse-json'
import {
  type AnsweringFault,
  answeringFaults,
  type ChaosPreset,
  type ChaosSettings,
  presetNames,
  type SendingFault,
  sendingFaults,
} from './platform/chaos-settings.ts'

export function integer(low: number, high: number) {
  return (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= low && value <= high) return value
    throw new InvalidArgumentError(`It must be an integer from ${low} to ${high}.`)
  }
}

export function speed(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  throw new InvalidArgumentError('It must be a number, 0 or more.')
}

/** Collects an option that may be given several times. */
export function oneMore(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** Collects overrides. A value is parsed as JSON if possible, else taken as text. */
export function oneOverride(given: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const at = given.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be a path and a value, such as patient.last_name=Muster.')
  const text = given.slice(at + 1)
  const value = parseJson(text)
  return { ...before, [given.slice(0, at)]: value === undefined ? text : value }
}

export function nonEmpty(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must not be empty.')
}

export function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text
  throw new InvalidArgumentError('It must be an http or https address.')
}

export const chaosHelp = `how often faults happen: ${presetNames.join(', ')}; or chances such as duplicate=0.2,timeout=0.05, of: ${[...sendingFaults, ...answeringFaults].join(', ')}`

export function chaos(text: string): ChaosSettings | ChaosPreset {
  const preset = presetNames.find((name) => name === text)
  if (preset !== undefined) return preset
  const sending: Partial<Record<SendingFault, number>> = {}
  const answering: Partial<Record<AnsweringFault, number>> = {}
  for (const part of text.split(',')) {
    const [name, value] = part.split('=')
    const chance = Number(value)
    const sent = sendingFaults.find((fault) => fault === name)
    const answered = answeringFaults.find((fault) => fault === name)
    if ((sent === undefined && answered === undefined) || !(chance >= 0 && chance <= 1) || value === '')
      throw new InvalidArgumentError(`"${part}" is neither a preset nor a chance from 0 to 1.`)
    if (sent !== undefined) sending[sent] = chance
    if (answered !== undefined) answering[answered] = chance
  }
  return { sending, answering }
}
