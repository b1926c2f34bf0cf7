import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  createOneAtATime,
  exchange,
  type ExchangeRequest,
  leanFetch,
  type RunContext,
  type System,
  systemClock,
  WriteFailed,
} from '#pawl/connector'
import { type ContractSubject, startFarSide } from '#pawl/testing'

/** Defect of a connector beside staff who use its far side, too. */
export type BoardDefect =
  'takes the first case of a search' | 'writes over what staff edited' | 'takes a case that staff deleted for written'

interface BoardState {
  id: string
  status: string
}

interface FaultyBoard {
  putCase(state: BoardState): Promise<void>
}

const Case = z.object({ id: z.string(), reference: z.string() })
const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 60_000 }

/** A connector that searches, then posts or patches, for a far side that takes no key. */
function createFaultyBoard(url: string, defect?: BoardDefect): System<FaultyBoard> {
  const inTurn = createOneAtATime()

  async function ask(run: RunContext, method: ExchangeRequest['method'], path: string, body?: object) {
    const headers = { 'content-type': 'application/json' }
    const answer = await exchange(http, run, `${url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      read: (status) => (method === 'PATCH' && status === 404 ? 'answered' : undefined),
    })
    if (answer.ok || (method === 'PATCH' && answer.status === 404)) return answer
    throw new WriteFailed({ system: 'board', what: 'case', resourceId: run.resourceId, failure: answer })
  }

  async function findCase(run: RunContext): Promise<string | undefined> {
    const { text } = await ask(run, 'GET', `/cases?search=${run.resourceId}`)
    const takesFirst = defect === 'takes the first case of a search'
    return z
      .array(Case)
      .parse(JSON.parse(text))
      .find(({ reference }) => takesFirst || reference === run.resourceId)?.id
  }

  const post = async (run: RunContext, content: object) =>
    Case.parse(JSON.parse((await ask(run, 'POST', '/cases', content)).text)).id

  return {
    open: (run) => ({
      putCase: ({ id: reference, status }) =>
        inTurn(reference, async () => {
          const known = await run.memory.read('case')
          if (known?.digest === run.digest(status)) return
          const content = { reference, status, ...(defect === 'writes over what staff edited' && { note: '' }) }
          let id = known?.id ?? (await findCase(run))
          if (id === undefined) id = await post(run, content)
          else {
            await run.memory.write('case', { id })
            const { status: answered } = await ask(run, 'PATCH', `/cases/${id}`, content)
            const isGone = answered === 404 && defect !== 'takes a case that staff deleted for written'
            if (isGone) id = await post(run, content)
          }
          await run.memory.write('case', { id, digest: run.digest(status) })
          run.wrote({ type: 'Case', id })
        }),
    }),
  }
}

/** A connector with this defect, or without any, beside staff who edit, delete and mention cases. */
export const boardWith = (defect?: BoardDefect): ContractSubject<FaultyBoard, BoardState> => ({
  async start() {
    const cases: { id: string; reference: string; status: string; note: string }[] = []
    const farSide = await startFarSide(({ method, path, body }) => {
      const { pathname, searchParams } = new URL(path, 'http://board')
      const searched = searchParams.get('search') ?? ''
      if (method === 'GET')
        return { status: 200, body: cases.filter(({ reference, note }) => `${reference} ${note}`.includes(searched)) }
      const opened = { id: randomUUID(), note: '', ...JSON.parse(body) }
      if (method === 'POST') return { status: 201, body: cases[cases.push(opened) - 1] }
      const found = cases.find(({ id }) => pathname === `/cases/${id}`)
      return found === undefined ? { status: 404 } : { status: 200, body: Object.assign(found, JSON.parse(body)) }
    })
    const of = (resourceId: string) => cases.filter(({ reference }) => reference === resourceId)
    return {
      ...farSide,
      connect: () => createFaultyBoard(farSide.url, defect),
      held: async (resourceId: string) => of(resourceId).map(({ status, note }) => ({ status, note })),
      edit: (resourceId) => of(resourceId).forEach((each) => (each.note = 'Asked the prescriber.')),
      remove: (resourceId) =>
        void cases.splice(
          cases.findIndex(({ reference }) => reference === resourceId),
          1,
        ),
      mention: (resourceId, other) =>
        void cases.unshift({ id: randomUUID(), reference: other, status: 'open', note: `See ${resourceId}.` }),
    }
  },
  states: (id) => [
    { id, status: 'processing' },
    { id, status: 'completed' },
  ],
  write: (port, state) => port.putCase(state),
  patientData: [],
})
