/** Finds the texts of a conformance run that count its messages and calls. */
export const textCount = /Kuckuck (message|call) (\d+):/
