import type { OperationOutcome, OperationOutcomeIssue } from 'fhir/r4.js'

/** Outcome of a request: a status, and a body where there is one. */
export interface Outcome {
  status: number
  body?: object
  headers?: Record<string, string>
}

/** A refusal, with FHIR's own word for why. */
export function refused(status: number, code: OperationOutcomeIssue['code'], diagnostics: string): Outcome {
  const body: OperationOutcome = {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code, diagnostics }],
  }
  return { status, body }
}
