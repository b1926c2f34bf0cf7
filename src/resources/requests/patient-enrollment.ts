import { z } from 'zod'
import { date, dateTime, fileUrl, jsonObject, text } from './text.ts'

const assets = z.array(z.strictObject({ type: text, url: fileUrl, name: text }))

/** Body of POST /patient-enrollment. Shape only (specification, Endpoint rules): no required flags are shown, so only the patient's name is required. */
export const PatientEnrollmentRequest = z.strictObject({
  patient: z.strictObject({
    first_name: text,
    last_name: text,
    date_of_birth: date.optional(),
    address: z
      .strictObject({
        street: z.string().optional(),
        city: z.string().optional(),
        state_province: z.string().optional(),
        zip_postal_code: z.string().optional(),
        country: z.string().optional(),
      })
      .optional(),
    insurance_details: z
      .strictObject({
        data: z
          .strictObject({
            group_number: z.string().optional(),
            payer: z.string().optional(),
            membership_number: z.string().optional(),
            rx_bin: z.string().optional(),
            rx_group: z.string().optional(),
          })
          .optional(),
        assets: assets.optional(),
      })
      .optional(),
    email: z.email().optional(),
    phone: z.string().optional(),
    metadata: z.strictObject({ patient_id: text.optional() }).optional(),
  }),
  programId: text.optional(),
  prescription: z
    .strictObject({
      drug_name: text.optional(),
      dosage: z.string().optional(),
      directions: z.string().optional(),
      extra: jsonObject.optional(),
    })
    .optional(),
  evidence: z
    .array(
      z.strictObject({
        type: text,
        date_created: dateTime.optional(),
        content: jsonObject.optional(),
        assets: assets.optional(),
      }),
    )
    .optional(),
  metadata: z.strictObject({ enrollment_id: text.optional() }).optional(),
})
export type PatientEnrollmentRequest = z.infer<typeof PatientEnrollmentRequest>
