import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { drugLabel, prescribedDrug, prescriptionLine } from '../fhir/mapping/drug.ts'
import { inWords, type Narrative, rowsOf, withoutEmpty } from './narrative.ts'
import { transferSection } from './prior-authorization-sections.ts'
import { patientLine, prescriberRows, titleOf } from './shared-sections.ts'

/** The transfer of a PA's prescription to a pharmacy, for charts that hold it apart from the PA. */
export function prescriptionTransferNarrative(pa: PriorAuthorization): Narrative {
  const status = inWords(pa.prescription_transfer?.status ?? 'status unknown')
  const drug = drugLabel(prescribedDrug(pa.prescription))
  return {
    title: titleOf(`Prescription transfer: ${status}`, drug, pa.id),
    lead: `${status}.`,
    patient: patientLine(pa.patient),
    sections: withoutEmpty([
      transferSection(pa),
      {
        heading: 'Prescription',
        rows: [
          ...rowsOf({
            Patient: patientLine(pa.patient),
            Drug: prescriptionLine(pa.prescription),
            Directions: pa.prescription?.directions,
            'Prior authorization': pa.id,
          }),
          ...prescriberRows(pa.provider),
        ],
      },
    ]),
  }
}
