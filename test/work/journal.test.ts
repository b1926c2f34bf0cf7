import { expect, it } from 'vitest'
import { createJournal } from '../../src/work/journal.ts'
import type { Note } from '../../src/ledger/ledger.ts'

const token = { resourceId: 'pa_req_1', owner: 'o', newestEventId: 1, retries: 0 }
const snapshot: Note = { of: 'snapshot', text: '{}', eventId: 1, terminal: false, pollInMs: undefined }
const success = (handler: string): Note => ({
  of: 'success',
  run: { handler, startedAt: 1, finishedAt: 1, firstEventId: 1, lastEventId: 1, writes: [] },
})

/** A journal on a ledger that fails as often as told, and what was sent to it. */
function open(failures: number) {
  const sent: Note[][] = []
  const recorded: string[] = []
  let left = failures
  const store = async (notes: readonly Note[]) => {
    sent.push([...notes])
    await new Promise((resolve) => setImmediate(resolve))
    left -= 1
    if (left >= 0) throw new Error('away')
  }
  const journal = createJournal(token, {
    record: (_, notes) => store(notes),
    release: async (_, { notes, dueInMs }) => {
      await store(notes)
      return dueInMs
    },
  })
  const add = (handler: string) => journal.add(success(handler), () => recorded.push(handler))
  return { journal, sent, recorded, add }
}

it('sends the rest of its notes with the release, and reports each once it is recorded', async () => {
  const { journal, sent, recorded, add } = open(0)
  journal.add(snapshot)
  add('a')
  await journal.record()
  expect(recorded).toEqual(['a'])
  add('b')
  expect(await journal.release({ dueInMs: 7, restMs: 0 })).toBe(7)
  expect(sent).toEqual([[snapshot, success('a')], [success('b')]])
  expect(recorded).toEqual(['a', 'b'])
})

it('sends a snapshot again that could not be stored, in front of the runs that built upon it', async () => {
  const { journal, sent, recorded, add } = open(1)
  journal.add(snapshot)
  add('a')
  const failing = journal.record()
  await Promise.resolve()
  add('b')
  const following = journal.record()
  await expect(failing).rejects.toThrow('away')
  await following
  expect(sent).toEqual([
    [snapshot, success('a')],
    [snapshot, success('b')],
  ])
  expect(recorded).toEqual(['b'])
})
