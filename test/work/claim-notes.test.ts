import { expect, it } from 'vitest'
import { createClaimNotes } from '../../src/work/claim-notes.ts'
import type { Note } from '../../packages/ledger/src/hot/notes.ts'
import type { MemoryBySystem } from '../../packages/ledger/src/hot/state-document.ts'
import type { Remembered } from '../../packages/base/src/system-notes.ts'

const token = { resourceId: 'pa_req_1', owner: 'o', newestEventId: 1, retries: 0 }
const snapshot: Note = { of: 'snapshot', text: '{}', eventId: 1, terminal: false, pollInMs: undefined }
const success = (handler: string): Note => ({
  of: 'success',
  run: { handler, startedAt: 1, finishedAt: 1, firstEventId: 1, lastEventId: 1, writes: [] },
})

/** Claim notes on a ledger that fails as often as told, and what was sent to it. */
function open(failures: number, memory: MemoryBySystem = new Map()) {
  const sent: Note[][] = []
  const recorded: string[] = []
  let left = failures
  const store = async (notes: readonly Note[]) => {
    sent.push([...notes])
    await new Promise((resolve) => setImmediate(resolve))
    left -= 1
    if (left >= 0) throw new Error('away')
  }
  const reads: string[] = []
  const written = new Map<string, Remembered>()
  const claimNotes = createClaimNotes(
    { ...token, memory },
    {
      async readMemory(system, resourceId) {
        reads.push(`${system} ${resourceId}`)
        return new Map(written)
      },
      async writeMemory(_, _system, role, remembered) {
        await store([])
        if (remembered === undefined) written.delete(role)
        else written.set(role, remembered)
      },
      takeShared: () => Promise.resolve('taken'),
      record: (_, notes) => store(notes),
      release: async (_, { notes, dueInMs }) => {
        await store(notes)
        return dueInMs
      },
    },
  )
  const add = (handler: string) => claimNotes.add(success(handler), () => recorded.push(handler))
  return { claimNotes, sent, recorded, add, reads }
}

it('the notes of a claim sends its remaining notes with the release, and reports each once it is recorded', async () => {
  const { claimNotes, sent, recorded, add } = open(0)
  claimNotes.add(snapshot)
  add('a')
  await claimNotes.record()
  expect(recorded).toEqual(['a'])
  add('b')
  expect(await claimNotes.release({ dueInMs: 7, restMs: 0 })).toBe(7)
  expect(sent).toEqual([[snapshot, success('a')], [success('b')]])
  expect(recorded).toEqual(['a', 'b'])
})

it('the notes of a claim repeats a snapshot that could not be stored, before the runs built upon it', async () => {
  const { claimNotes, sent, recorded, add } = open(1)
  claimNotes.add(snapshot)
  add('a')
  const failing = claimNotes.record()
  await Promise.resolve()
  add('b')
  const following = claimNotes.record()
  await expect(failing).rejects.toThrow('away')
  await following
  expect(sent).toEqual([
    [snapshot, success('a')],
    [snapshot, success('b')],
  ])
  expect(recorded).toEqual(['b'])
})

const noted = (role: string, id: string): Note => ({ of: 'memory', system: 'ehr', role, remembered: { id } })

it('the notes of a claim returns its own notes at once, and records the last of each role with the rest', async () => {
  const { claimNotes, sent, reads } = open(0, new Map([['ehr', new Map([['task', { id: '1' }]])]]))
  const memory = claimNotes.memoryOf('ehr')
  expect([await memory.read('task'), await memory.read('none')]).toEqual([{ id: '1' }, undefined])
  memory.note('task', { id: '2' })
  memory.note('document', { id: '3' })
  memory.note('task', { id: '4' })
  // Another handler's run under the same claim.
  expect(await claimNotes.memoryOf('ehr').read('task')).toEqual({ id: '4' })
  await claimNotes.record()
  await claimNotes.record()
  expect(sent).toEqual([[noted('task', '4'), noted('document', '3')], []])
  expect(await memory.read('task')).toEqual({ id: '4' })
  expect(reads).toEqual([])
})

it('the notes of a claim replaces a note by an immediate write, and reads the ledger after a failed one', async () => {
  const { claimNotes, sent, reads } = open(0)
  const memory = claimNotes.memoryOf('ehr')
  memory.note('task', { id: '1' })
  await memory.write('task', { id: '2' })
  expect(await memory.read('task')).toEqual({ id: '2' })
  await claimNotes.record()
  expect(sent).toEqual([[], []])

  const away = open(1)
  const failing = away.claimNotes.memoryOf('ehr')
  failing.note('task', { id: '1' })
  await expect(failing.write('task', { id: '2' })).rejects.toThrow('away')
  expect(await failing.read('task')).toBeUndefined()
  expect([reads, away.reads]).toEqual([[], ['ehr pa_req_1']])
})

it('the notes of a claim forgets at once what was read, written or noted, and records none of it', async () => {
  const { claimNotes, sent } = open(0, new Map([['ehr', new Map([['task', { id: '1' }]])]]))
  const memory = claimNotes.memoryOf('ehr')
  memory.note('document', { id: '2' })
  for (const role of ['task', 'document']) await memory.forget(role)
  expect([await memory.read('task'), await memory.read('document')]).toEqual([undefined, undefined])
  await claimNotes.record()
  expect(sent.flat()).toEqual([])
  memory.note('task', { id: '3' })
  expect(await memory.read('task')).toEqual({ id: '3' })
})

it('the notes of a claim repeats a failed note, unless a newer one exists', async () => {
  const { claimNotes, sent } = open(1)
  const memory = claimNotes.memoryOf('ehr')
  memory.note('task', { id: '1' })
  memory.note('document', { id: '2' })
  const failing = claimNotes.record()
  await Promise.resolve()
  memory.note('task', { id: '3' })
  await expect(failing).rejects.toThrow('away')
  await claimNotes.record()
  expect(sent.at(-1)).toEqual([noted('task', '3'), noted('document', '2')])
})
