import { describe, expect, it } from 'vitest'
import { checkIntegration } from '../../src/work/check-integration.ts'
import type { System } from '../../packages/connector/src/system.ts'

describe('an integration', () => {
  const system: System<object> = { open: () => ({}) }

  it.each(['digest', 'resource', 'signal'])('refuses a system named %s, a reserved name in handlers', (name) => {
    expect(() => checkIntegration({ systems: { [name]: system }, handlers: [] })).toThrow(`named ${name}`)
  })

  it('refuses a handler whose reads names a field that is not documented, which would never run it again', () => {
    const handler = { name: 'a', on: ['prior_authorization.status_change'] as const, handle: async () => {} }
    const check = (reads: string[]) => checkIntegration({ systems: {}, handlers: [{ ...handler, reads }] })
    expect(() => check(['status', 'outcom'])).toThrow('Handler a reads outcom')
    expect(() => check(['status', 'outcome'])).not.toThrow()
  })
})
