import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMailServer } from '../../../../../test/support/mail-server.ts'
import { startFarSide } from '../../../../testing/src/far-side.ts'

/** A running far side, and the settings that name it. */
export interface StartedFarSide {
  settings: Record<string, string>
  close(this: void): Promise<void>
}

/** A collection that gives its own ids, takes no idempotency key, and is searched by its fields. */
const startCollection = (setting: string) => async (): Promise<StartedFarSide> => {
  const records = new Map<string, Record<string, unknown>>()
  const farSide = await startFarSide(({ method, path, body }) => {
    const { pathname, searchParams } = new URL(path, 'http://far-side')
    const id = pathname.split('/')[2] ?? ''
    // Its bodies are objects.
    const content = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>)
    if (method === 'GET') {
      const isFound = (each: Record<string, unknown>) =>
        [...searchParams].every(([name, value]) => each[name] === value)
      return { status: 200, body: [...records.values()].filter(isFound) }
    }
    if (method === 'POST') {
      const posted = { id: randomUUID(), ...content }
      records.set(posted.id, posted)
      return { status: 201, body: posted }
    }
    if (!records.has(id)) return { status: 404 }
    if (method === 'DELETE') records.delete(id)
    else records.set(id, { ...records.get(id), ...content })
    return method === 'DELETE' ? { status: 204 } : { status: 200, body: records.get(id) }
  })
  return { settings: { [setting]: farSide.url }, close: farSide.close }
}

/** A register with one record under each id of ours. */
async function startRegister(): Promise<StartedFarSide> {
  const records = new Map<string, string>()
  const farSide = await startFarSide(({ method, path, body }) => {
    const held = records.get(path)
    if (method === 'PUT') records.set(path, body)
    if (method === 'GET') return held === undefined ? { status: 404 } : { status: 200, body: held }
    return { status: 204 }
  })
  return { settings: { REGISTER_URL: farSide.url }, close: farSide.close }
}

/** A hook that drops an event under an idempotency key that it has. */
async function startHook(): Promise<StartedFarSide> {
  const events = new Map<string, string>()
  const farSide = await startFarSide(({ headers, body }) => {
    const key = String(headers['idempotency-key'] ?? randomUUID())
    if (!events.has(key)) events.set(key, body)
    return { status: 202 }
  })
  return { settings: { HOOK_URL: farSide.url }, close: farSide.close }
}

/** An empty folder, for files or for a database. */
const startFolder =
  (setting: string, file = '') =>
  async (): Promise<StartedFarSide> => {
    const folder = await mkdtemp(join(tmpdir(), 'far-side-'))
    const close = () => rm(folder, { recursive: true, force: true })
    return { settings: { [setting]: join(folder, file) }, close }
  }

async function startMail(): Promise<StartedFarSide> {
  const { port, close } = await startMailServer()
  return { settings: { MAIL_URL: `smtp://127.0.0.1:${port}` }, close }
}

/** Starts a far side by its name. */
export const farSides = {
  board: startCollection('BOARD_URL'),
  billing: startCollection('BILLING_URL'),
  register: startRegister,
  hook: startHook,
  table: startFolder('TABLE_FILE', 'table.db'),
  folder: startFolder('DROP_FOLDER'),
  mail: startMail,
} as const

export type FarSideName = keyof typeof farSides
