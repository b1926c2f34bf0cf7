import { everything } from '../../../../test/support/charts/everything.ts'
import type { ChartProfile, TypeRules } from '../../../../test/support/charts/profile.ts'

/** A profile with the rules of every type changed. */
export function withRules(name: string, profile: ChartProfile, change: (rules: TypeRules) => TypeRules): ChartProfile {
  const types = Object.entries(profile.types).map(([type, rules]) => [type, change(rules)])
  return { ...profile, name, types: Object.fromEntries(types) }
}

/** Finds by identifier and updates by version, and nothing more: no patch, no conditional create, no fields of its own. */
export const plain = withRules('plain', everything, ({ complete: _complete, ...rules }) => ({
  ...rules,
  interactions: rules.interactions.filter((each) => each !== 'patch'),
  conditionalCreate: false,
}))
