import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { defineHandler, type HandlerContext } from '#pawl'
import { aPriorAuthorization, runHandler } from '../../packages/testing/src/index.ts'
import { HandlerTimedOut } from '../../src/work/call-handler.ts'

type PaContext = HandlerContext<'prior_authorization.status_change'>

const before = aPriorAuthorization({ status: 'processing' })
const now = { ...before, status: 'awaiting_outcome' } as const

function handler(handle: (context: PaContext) => Promise<void> | void, timeoutMs = 60_000) {
  return defineHandler({
    name: 'a',
    on: ['prior_authorization.status_change'],
    timeoutMs,
    handle: async (context) => handle(context),
  })
}

it('the differences that a handler gets are those of the service, even if the handler changed its copies of the states before', async () => {
  let changes: PaContext['changes'] | undefined
  const careless = handler((context) => {
    Object.assign(context.resource, { status: 'processing' })
    Object.assign(context.previous ?? {}, { status: 'cancelled' })
    changes = context.changes
  })
  await runHandler(careless, { from: before, to: now })
  expect(changes?.status).toEqual({ from: 'processing', to: 'awaiting_outcome' })
})

it('a handler that changes the differences leaves its state as it is', async () => {
  const messages = [{ id: 'msg_1', content: 'One question.' }]
  const asked = { ...before, message_thread: { messages } }
  let resource: PaContext['resource'] | undefined
  const careless = handler((context) => {
    for (const message of context.changes.newMessages) Object.assign(message, { content: 'changed' })
    resource = context.resource
  })
  await runHandler(careless, { from: before, to: asked })
  expect(resource?.message_thread?.messages).toEqual(messages)
})

it('the argument of a handler keeps its parts in a copy by spread, and its states are plain objects', async () => {
  let context: PaContext | undefined
  await runHandler(
    handler((given) => void (context = { ...given })),
    { from: before, to: now },
  )
  expect(context?.events).toHaveLength(1)
  expect(context?.events).toBe(context?.events)
  expect(structuredClone(context?.resource)).toEqual(context?.resource)
  expect(JSON.parse(JSON.stringify(context?.previous))).toEqual(context?.previous)
  expect(Object.getPrototypeOf(context?.resource)).toBe(Object.prototype)
})

it("the signal of a handler that is first read after the handler's time is up has been aborted, with the reason", async () => {
  let context: PaContext | undefined
  const slow = handler((given) => {
    context = given
    return sleep(1_000, undefined, { ref: false })
  }, 10)
  await expect(runHandler(slow, { to: now })).rejects.toBeInstanceOf(HandlerTimedOut)
  expect(context?.signal.aborted).toBe(true)
  expect(context?.signal.reason).toBeInstanceOf(HandlerTimedOut)
})

it("the signal of a handler that reads it at once aborts when the handler's time is up", async () => {
  let reason: unknown
  const slow = handler(
    ({ signal }) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject((reason = signal.reason)))),
    10,
  )
  await expect(runHandler(slow, { to: now })).rejects.toBeInstanceOf(HandlerTimedOut)
  expect(reason).toBeInstanceOf(HandlerTimedOut)
})

it('a handler that throws before its first await fails its run', async () => {
  const broken = {
    ...handler(() => {}),
    handle: () => {
      throw new TypeError('broken')
    },
  }
  await expect(runHandler(broken, { to: now })).rejects.toThrow('broken')
})
