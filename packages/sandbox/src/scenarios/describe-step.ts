import type { Step } from './schema.ts'

/** Describes a step in a few words, without the content of messages and bodies. */
export function describeStep(step: Step): string {
  switch (step.step) {
    case 'create':
      return `create ${step.kind} ${step.as}${step.refused_with === undefined ? '' : `, refused with ${step.refused_with}`}`
    case 'push': {
      const part = step.of === undefined ? '' : ` ${step.of.replaceAll('_', ' ')}`
      const outcome = [step.outcome?.result, step.outcome?.detail_code].filter((one) => one !== undefined)
      return `push ${step.resource}${part} to ${step.status}${outcome.length === 0 ? '' : ` (${outcome.join(', ')})`}`
    }
    case 'wait':
      if (step.hours !== undefined) return `wait ${step.hours} h of sandbox time`
      return step.seconds === undefined ? `wait until ${step.resource} is ${step.status}` : `wait ${step.seconds} s`
    case 'message':
      return `message on ${step.resource}, ${step.direction ?? 'received'}`
    case 'letter':
      return `letter on ${step.resource}, ${step.type}`
    case 'fail':
      return `fail ${step.operation} with ${step.code}`
    case 'chaos':
      return `chaos ${step.preset ?? 'as given'}`
  }
}
