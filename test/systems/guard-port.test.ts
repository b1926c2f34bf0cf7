import { expect, it } from 'vitest'
import { guardPort } from '../../src/systems/systems.ts'

it('a port may be an instance of a class with private fields, and its guard covers every call', async () => {
  class Port {
    readonly #prefix = 'inv-'
    async invoice(id: string): Promise<string> {
      return `${this.#prefix}${id}`
    }
  }
  let calls = 0
  const port = guardPort(new Port(), async (call) => {
    calls += 1
    return call()
  })
  expect(await port.invoice('1')).toBe('inv-1')
  expect(await port.invoice('2')).toBe('inv-2')
  expect(calls).toBe(2)
})
