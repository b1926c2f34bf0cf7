import { describe, expect, it } from 'vitest'
import { connectorContract } from '../src/index.ts'
import { subjectWith } from '../../../test/support/faulty-desk-subject.ts'

describe('a connector that does all as it should', () => {
  for (const { name, check } of connectorContract(subjectWith())) it(name, check)
})

describe('the contract', () => {
  it('refuses patientData that the first state lacks', () => {
    for (const patientData of [['Somebody Else'], ['']])
      expect(() => connectorContract({ ...subjectWith(), patientData })).toThrow(TypeError)
  })

  it('omits the patient-data rules for a system that gets none', () => {
    const names = (patientData: string[]) =>
      connectorContract({ ...subjectWith(), patientData }).map(({ name }) => name)
    const all = names(['Kanarina Zwitscherling'])
    expect(names([])).toEqual(all.filter((name) => !name.includes('patient data')))
    expect(all.length - names([]).length).toBe(2)
  })

  it('omits rules about faults that the far side cannot produce', () => {
    const names = connectorContract({ ...subjectWith(), faults: ['refusal'] }).map(({ name }) => name)
    expect(names).toContain('a refusal is not retried')
    expect(names.filter((each) => /lost answer|outage|limit|silence/.test(each))).toEqual([])
  })
})
