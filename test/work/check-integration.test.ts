import { describe, expect, it } from 'vitest'
import { checkIntegration } from '../../src/work/check-integration.ts'
import type { System } from '../../packages/connector/src/system.ts'

describe('an integration', () => {
  const system: System<object> = { open: () => ({}) }

  it.each(['digest', 'resource', 'signal'])('refuses a system named %s, a reserved name in handlers', (name) => {
    expect(() => checkIntegration({ systems: { [name]: system }, handlers: [] })).toThrow(`named ${name}`)
  })
})
