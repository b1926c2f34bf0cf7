import type { CopayOption } from 'pawl-client/schemas/benefit-verification'
import type { InsuranceRecord } from 'pawl-client/schemas/insurance'
import type { Patient, Provider } from 'pawl-client/schemas/people'
import type { Person } from 'pawl-client/schemas/prior-authorization'
import { insuranceOf } from '../fhir/mapping/insurance-of.ts'
import { rowsOf, type Row } from './narrative.ts'
import { join, text } from '../primitives.ts'

/** The title of a document about a PA or BV: its id tells two of one patient and drug apart. */
export function titleOf(what: string, drug: string | undefined, id: string): string {
  return `${join([what, drug], ' - ')}, ${id}`
}

/** Who wrote a document, for readers who look for a person. */
export const writtenBy = 'a program (pawl), from what the prior authorization service reports'

/** The patient in one line, for the printed page. */
export function patientLine(patient: Patient | undefined): string | undefined {
  return join([nameOf(patient), labelled('born', patient?.date_of_birth), labelled('MRN', patient?.mrn)], ', ')
}

/** The prescriber with contact details. */
export function prescriberRows(provider: Provider | undefined): Row[] {
  const npi = text(provider?.npi)
  return rowsOf({
    Prescriber: join([nameOf(provider), npi && `NPI ${npi}`], ', '),
    'Prescriber contact': join(
      [labelled('phone', provider?.phone), labelled('fax', provider?.fax), provider?.email],
      ', ',
    ),
  })
}

export function insuranceRows(records: readonly InsuranceRecord[] | undefined): Row[] {
  const insurance = insuranceOf(records)
  return rowsOf({
    Payer: insurance.payer_name,
    Plan: insurance.plan_name,
    'Member number': insurance.member_number,
    Member: insurance.member_name,
    RXBIN: insurance.rx_bin,
    RXPCN: insurance.rx_pcn,
    RXGROUP: insurance.rx_group,
    'Group number': insurance.group_number,
  })
}

export function nameOf(person: Pick<Person, 'first_name' | 'last_name'> | undefined): string | undefined {
  return join([person?.first_name, person?.last_name], ' ')
}

/** The patient's cost of each supply, in dollars. */
export function costsOf(options: readonly CopayOption[] | undefined): string | undefined {
  const costs = (options ?? []).map(({ amount_cents, supply_duration_days: days }) => {
    const amount = `$${(amount_cents / 100).toFixed(2)}`
    return days === undefined ? amount : `${amount} per ${days} days`
  })
  return join(costs, ', ')
}

/** Diagnosis codes in one line. */
export function diagnosisCodes(diagnoses: readonly { code?: string | undefined }[] | undefined): string | undefined {
  return join(
    (diagnoses ?? []).map(({ code }) => code?.trim()),
    ', ',
  )
}

function labelled(label: string, value: string | undefined): string | undefined {
  const stated = text(value)
  return stated && `${label} ${stated}`
}
