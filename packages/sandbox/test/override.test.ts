import { expect, it } from 'vitest'
import { readCommandLine } from '../src/command-line.ts'
import { override } from '../src/scenarios/override.ts'

it('replaces fields by their path, adds missing parents, leaves out null ones, and keeps the rest', () => {
  const body = { a: { b: 1, c: [{ d: 1 }, { d: 2 }] }, e: 1 }
  expect(override(body, { 'a.b': 2, 'a.c.1.d': 3, 'f.g': 'x', e: null })).toEqual({
    a: { b: 2, c: [{ d: 1 }, { d: 3 }] },
    f: { g: 'x' },
  })
  expect(body).toEqual({ a: { b: 1, c: [{ d: 1 }, { d: 2 }] }, e: 1 })
  expect(override({}, { '__proto__.polluted': true })).not.toHaveProperty('polluted')
  expect({}).not.toHaveProperty('polluted')
})

it('is read from the command line: JSON, else text', () => {
  const given = ['patient.last_name=Mu=ster', 'priority=2', 'notes=null', 'patient.mrn="7"']
  expect(readCommandLine(['trigger', 'x', ...given.flatMap((one) => ['--override', one])])).toMatchObject({
    overrides: { 'patient.last_name': 'Mu=ster', priority: 2, notes: null, 'patient.mrn': '7' },
  })
  expect(readCommandLine(['trigger', 'x', '--override', 'patient'], undefined, () => {})).toEqual({ exitCode: 2 })
})
