import assert from 'node:assert/strict'
import type { ContractSubject, Rule } from './contract-subject.ts'
import { oneResource, type TestBed, withTestBed } from './test-bed.ts'

/** Rules about other users of the far side, each of which passes where the far side lacks the method for it. */
export function staffRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  const rule = (name: string, check: (bed: TestBed<Port>) => Promise<void>): Rule => ({
    name,
    check: () => withTestBed(subject, check),
  })
  return [
    rule('an edit by staff survives the next writes', async ({ stand, write, held, restart }) => {
      if (stand.edit === undefined) return
      await write('first')
      const first = await held()
      await stand.edit(oneResource)
      const edited = await held()
      assert.notDeepEqual(edited, first, 'edit(resourceId) changed nothing that held(resourceId) shows.')
      await write('second', { system: restart() })
      await write('first', { system: restart() })
      assert.deepEqual(await held(), edited, 'A write changed a field that staff had edited.')
    }),

    rule('a record that staff deleted is written anew, or its write fails', async (bed) => {
      const { stand, write, tryToWrite, held, restart } = bed
      if (stand.remove === undefined) return
      const before = await held()
      await write('first')
      await stand.remove(oneResource)
      assert.deepEqual(await held(), before, 'remove(resourceId) left a record that held(resourceId) shows.')
      const error = await tryToWrite('second', { system: restart() })
      if (error === undefined)
        assert.notDeepEqual(
          await held(),
          before,
          'The write of a record that staff had deleted succeeded without effect.',
        )
    }),

    rule('a record that only mentions the resource is left alone', async ({ stand, write, held, restart }) => {
      if (stand.mention === undefined) return
      const other = 'pa_req_contract2'
      await stand.mention(oneResource, other)
      const mentioning = await held(other)
      assert.notEqual(mentioning.length, 0, 'mention(resourceId, other) added no record that held(other) shows.')
      const before = await held()
      if (subject.gone !== undefined) await write('gone')
      await write('first', { system: restart() })
      assert.deepEqual(
        await held(other),
        mentioning,
        'The record of another resource was taken: compare what a search finds.',
      )
      assert.notDeepEqual(await held(), before, 'A write changed nothing beside a record that mentions the resource.')
    }),
  ]
}
