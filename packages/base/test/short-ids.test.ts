import { expect, it } from 'vitest'
import { createShortIds } from '../src/short-ids.ts'

it('keeps the kind and four letters of the ending', () => {
  const short = createShortIds()
  expect(short('pa_req_spuugaqhvoc957tmud2k')).toBe('pa…ud2k')
  expect(short('bv_5m9q2m0v7c1d8e3f6a4b')).toBe('bv…6a4b')
})

it('lengthens both endings where they would be the same', () => {
  const short = createShortIds()
  expect(short('pa_req_aaaaaaaaaaaaaa1tmud2k')).toBe('pa…ud2k')
  expect(short('pa_req_bbbbbbbbbbbbbb2tmud2k')).toBe('pa…2tmud2k')
  expect(short('pa_req_aaaaaaaaaaaaaa1tmud2k')).toBe('pa…1tmud2k')
  expect(short('bv_5m9q2m0v7c1d8e3f6a4b')).toBe('bv…6a4b')
})

it('tells any ids of a session apart', () => {
  const short = createShortIds()
  const ids = Array.from({ length: 300 }, (_, at) => `pa_req_${'0'.repeat(14)}${String(at * 7_919).padStart(7, '0')}`)
  for (const id of ids) short(id)
  expect(new Set(ids.map((id) => short(id))).size).toBe(ids.length)
})

it.each(['pa_req_1', 'enrollment', '', 'x'])('leaves %j whole, which is short already', (id) => {
  expect(createShortIds()(id)).toBe(id)
})
