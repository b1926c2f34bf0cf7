import { describe, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { aMessage, aPriorAuthorization, approved, createHandlerStand, runHandler } from '../src/index.ts'

const status = 'prior_authorization.status_change'

const announce = defineHandler({
  name: 'announce',
  on: [status],
  async handle({ resource, changes, once, api, ehr, log, events }) {
    if (changes.status === undefined) return
    const answer = await once('announce', () => api.sendFeedback(resource.id, { category: 'other', message: 'Hi.' }))
    log.info({ resource_id: resource.id, count: events.length }, `announced ${String(answer)}`)
    await ehr.putPriorAuthorization(resource)
  },
})

describe('a run of a handler', () => {
  const api = { sendFeedback: async () => undefined }
  const completed = aPriorAuthorization({ status: 'completed', outcome: approved() })

  it('shows its writes, calls, once effects and log', async () => {
    const { ehr, calls, effects, lines } = await runHandler(announce, { to: completed, api })
    expect(ehr.resources('Task')).toHaveLength(1)
    expect(calls).toMatchObject([{ system: 'api', method: 'sendFeedback', args: ['pa_req_1', { category: 'other' }] }])
    expect(effects).toMatchObject([{ key: 'announce' }])
    const [own, ...writes] = lines
    expect(own).toMatchObject({ msg: 'announced undefined', resource_id: 'pa_req_1', handler: 'announce' })
    expect(writes.map(({ msg, level }) => `${String(level)} ${String(msg)}`)).toEqual(writes.map(() => 'debug wrote'))
  })

  it('logs the fields that the integration adds as production does, and no text with spaces', async () => {
    const invoiced = defineHandler({
      name: 'invoiced',
      on: [status],
      async handle({ log }) {
        // The integration of this checkout adds no field, so the compiler knows of none.
        const more: object = { invoice_id: 'inv-1', payer_name: 'Sample Plan', 'Not a name': 'x' }
        log.info({ status: 'completed', ...more }, 'invoiced')
      },
    })
    const { lines } = await runHandler(invoiced, { to: completed })
    expect(lines).toMatchObject([
      { status: 'completed', invoice_id: 'inv-1', payer_name: '[redacted]', 'Not a name': '[redacted]' },
    ])
  })

  it('gets the differences from `from`', async () => {
    const run = await runHandler(announce, { from: completed, to: completed })
    expect(run.calls).toEqual([])
  })

  it('continues after an earlier run, and once remembers', async () => {
    const first = await runHandler(announce, { to: aPriorAuthorization(), api })
    const second = await runHandler(announce, { to: completed, after: first })
    expect(second.calls).toHaveLength(1)
    expect(second.ehr.resources('Task')).toMatchObject([{ status: 'completed' }])
  })

  it('tells an effect that it may have run after a run without its answer', async () => {
    const stand = createHandlerStand()
    const told: boolean[] = []
    const greets = defineHandler({
      name: 'greets',
      on: [status],
      handle: ({ once }) =>
        once('greet', async ({ mayHaveRun }) => {
          if (told.push(mayHaveRun) === 1) throw new Error('socket hang up')
        }),
    })
    await expect(runHandler(greets, { to: completed, after: stand })).rejects.toThrow('socket hang up')
    await runHandler(greets, { to: completed, after: stand })
    await runHandler(greets, { to: completed, after: stand })
    expect(told).toEqual([false, true])
  })

  it("rejects with the handler's error, and the next run knows of the attempt", async () => {
    const stand = createHandlerStand()
    const seen: (string | undefined)[] = []
    const failing = defineHandler({
      name: 'failing',
      on: [status],
      async handle({ resource, changes }) {
        seen.push(changes.status?.from)
        if (resource.status === 'completed') throw new Error('The printer is on fire.')
      },
    })
    const processing = aPriorAuthorization()
    await runHandler(failing, { to: processing, after: stand })
    await expect(runHandler(failing, { to: completed, after: stand })).rejects.toThrow('The printer is on fire.')
    await runHandler(failing, { to: processing, after: stand })
    expect(seen).toEqual([undefined, 'processing', 'completed'])
  })

  it('names the call of the service that the test does not answer', async () => {
    await expect(runHandler(announce, { to: completed })).rejects.toThrow(
      'The handler called api.sendFeedback, which the test does not answer: add it to api.',
    )
  })

  it('names the system that the test does not give, and how to give it', async () => {
    const caller = defineHandler({
      name: 'caller',
      on: [status],
      async handle(run) {
        // The compiler knows only the systems that the integration registers.
        const { crm } = run as unknown as { crm: { call(id: string): Promise<void> } }
        await crm.call(run.resource.id)
      },
    })
    await expect(runHandler(caller, { to: completed })).rejects.toThrow(
      'The handler called crm.call, but the test has no system crm: add it to systems, as { systems: { crm: { call: async () => {} } } }.',
    )
  })

  it("uses the test's systems and settings", async () => {
    const rude = defineHandler({
      name: 'rude',
      on: [status],
      async handle({ resource, pharmacy, settings }) {
        await pharmacy.putPrescriptionTransfer(resource)
        if (settings.NODE_ENV === 'production') throw new Error('never')
      },
    })
    const pharmacy = { putPrescriptionTransfer: () => Promise.reject(new Error('We are closed.')) }
    await expect(runHandler(rude, { to: completed, systems: { pharmacy } })).rejects.toThrow('We are closed.')
  })

  it('in mode each happens once per event', async () => {
    const kinds: string[] = []
    const each = defineHandler({
      name: 'each',
      on: [status, 'prior_authorization.message'],
      mode: 'each',
      async handle({ events, changes }) {
        kinds.push(...events.map(({ type }) => type), String(changes.newMessages.length))
      },
    })
    const to = aPriorAuthorization({ message_thread: { messages: [aMessage()] } })
    await runHandler(each, { to, events: [status, 'prior_authorization.message'] })
    expect(kinds).toEqual([status, '1', 'prior_authorization.message', '0'])
  })

  it('of another kind of resource does not compile', () => {
    const wrong = () =>
      // @ts-expect-error -- the handler follows PAs
      runHandler(announce, { to: { id: 'bv_1', status: 5 } })
    expect(wrong).toBeTypeOf('function')
  })
})
