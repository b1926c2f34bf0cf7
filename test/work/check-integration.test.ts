import { describe, expect, it } from 'vitest'
import { checkIntegration } from '../../src/work/check-integration.ts'
import type { System } from '../../packages/connector/src/system.ts'

describe('An integration', () => {
  const system: System<object> = { open: () => ({}) }

  it.each(['digest', 'resource', 'signal'])(
    'cannot name a system %s, which handlers get for something else',
    (name) => {
      expect(() => checkIntegration({ systems: { [name]: system }, handlers: [] })).toThrow(`named ${name}`)
    },
  )
})
