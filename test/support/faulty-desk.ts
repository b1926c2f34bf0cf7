import { createHash } from 'node:crypto'
import { Pool } from 'undici'
import { z } from 'zod'
import {
  type Answer,
  checkRun,
  exchange,
  type ExchangeRequest,
  type ExchangeRun,
  type Fetch,
  type RunContext,
  type System,
  systemClock,
  WriteFailed,
} from '#pawl/connector'

/** Defect of a connector, if any. */
export type Defect =
  | 'remembers before it has sent'
  | 'forgets that the far side may hold what was sent'
  | 'remembers in the process'
  | 'opens a case without a key'
  | 'only notes a case that it opened without a key'
  | 'tries everything again'
  | 'never blames the system'
  | 'throws errors without a verdict'
  | 'quotes what the system said'
  | 'does not ask whether it may act'
  | 'does not hear the signal'
  | 'takes longer than the lease'
  | 'does not say what it sends'
  | 'never updates'
  | 'has one case for all'
  | 'leaves a timer running'
  | 'opens a case to check'
  | 'reports the name of the patient'
  | 'remembers what it removed'
  | 'fails to remove what is gone'

/** The state of a resource as the desk is told it. */
export interface DeskState {
  id: string
  status: string
  name: string
}

/** A faulty desk, as tests use it. */
export interface FaultyDesk {
  putCase(state: DeskState): Promise<void>
  removeCase(): Promise<void>
}

const Case = z.object({ id: z.string() })
type Failed = Extract<Answer, { ok: false }>

/** A connector for a `CaseDesk` that does all as it should, but for one defect. */
export function createFaultyDesk(url: string, defect?: Defect): System<FaultyDesk> {
  const pool = new Pool(url)
  const fetch: Fetch = async (address, { method, headers, body = null, signal }) => {
    const answer = await pool.request({ path: new URL(address).pathname, method, headers, body, signal })
    return {
      status: answer.statusCode,
      headers: { get: (name) => String(answer.headers[name] ?? '') || null },
      text: () => answer.body.text(),
    }
  }
  if (defect === 'leaves a timer running') setInterval(() => {}, 60_000)
  const inProcess = new Map<string, { id: string; digest?: string | undefined }>()
  let onlyCase: string | undefined

  function restricted(run: ExchangeRun): ExchangeRun {
    const { signal, assertMayAct, remainingMs, beginRequest } = run
    return {
      signal: defect === 'does not hear the signal' ? new AbortController().signal : signal,
      assertMayAct: defect === 'does not ask whether it may act' ? () => {} : assertMayAct,
      remainingMs: defect === 'takes longer than the lease' ? () => 3_600_000 : remainingMs,
      beginRequest: defect === 'does not say what it sends' ? () => ({ answered() {} }) : beginRequest,
    }
  }

  const ask = (run: ExchangeRun, method: ExchangeRequest['method'], path: string, body?: object, key?: string) =>
    exchange({ fetch, clock: systemClock, timeoutMs: 60_000 }, restricted(run), `${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
      ...(body && { body: JSON.stringify(body) }),
    })

  function failureOf(resourceId: string, answer: Failed): Error {
    if (defect === 'throws errors without a verdict') return new Error(answer.reason)
    const failure: Failed = { ...answer }
    if (defect === 'tries everything again') Object.assign(failure, { retry: 'backoff', mayBeOutage: false })
    if (defect === 'never blames the system') Object.assign(failure, { isOutage: false, mayBeOutage: false })
    if (defect === 'quotes what the system said') failure.reason = answer.text
    return new WriteFailed({ system: 'desk', what: 'case', resourceId, failure })
  }

  async function openCase(run: RunContext): Promise<string> {
    const hasKey =
      defect !== 'opens a case without a key' && defect !== 'only notes a case that it opened without a key'
    const key = hasKey ? run.resourceId : undefined
    const answer = await ask(run, 'POST', '/cases', { reference: run.resourceId }, key)
    if (!answer.ok) throw failureOf(run.resourceId, answer)
    return Case.parse(JSON.parse(answer.text)).id
  }

  async function recall(run: RunContext) {
    if (defect === 'remembers in the process') return inProcess.get(run.resourceId)
    const known = await run.memory.read('case')
    return onlyCase === undefined || known !== undefined ? known : { id: onlyCase }
  }

  async function remember(run: RunContext, what: { id: string; digest?: string }): Promise<void> {
    if (defect === 'has one case for all') onlyCase = what.id
    if (defect === 'remembers in the process') inProcess.set(run.resourceId, what)
    else if (defect === 'only notes a case that it opened without a key') run.memory.note('case', what)
    else await run.memory.write('case', what)
  }

  return {
    open: (run) => ({
      async putCase({ status, name }) {
        const digest = createHash('sha256').update(`${status} ${name}`).digest('hex')
        const known = await recall(run)
        if (known?.digest !== undefined && (known.digest === digest || defect === 'never updates')) return
        const id = known?.id ?? (await openCase(run))
        if (defect === 'remembers before it has sent') await remember(run, { id, digest })
        else if (defect !== 'forgets that the far side may hold what was sent') await remember(run, { id })
        const answer = await ask(run, 'PUT', `/cases/${id}`, { status, name })
        if (!answer.ok && answer.status === 404) {
          // It was removed, and the answer lost.
          await run.memory.forget('case')
          return this.putCase({ id: run.resourceId, status, name })
        }
        if (!answer.ok) throw failureOf(run.resourceId, answer)
        await remember(run, { id, digest })
        run.wrote({ type: 'Case', id: defect === 'reports the name of the patient' ? name : id })
      },
      async removeCase() {
        const known = await recall(run)
        if (known === undefined) return
        if (defect !== 'remembers what it removed') await remember(run, { id: known.id })
        const answer = await ask(run, 'DELETE', `/cases/${known.id}`)
        const isGone = !answer.ok && answer.status === 404 && defect !== 'fails to remove what is gone'
        if (!answer.ok && !isGone) throw failureOf(run.resourceId, answer)
        if (defect !== 'remembers what it removed') await run.memory.forget('case')
      },
    }),
    async check(signal) {
      const opens = defect === 'opens a case to check'
      const run = opens ? { ...checkRun(signal), assertMayAct() {}, remainingMs: () => 1_000 } : checkRun(signal)
      const answer = opens ? await ask(run, 'POST', '/cases', { reference: 'check' }) : await ask(run, 'GET', '/cases')
      return { ok: answer.ok, findings: [answer.ok ? 'It answers.' : answer.reason] }
    },
    async close() {
      await pool.close()
    },
  }
}
