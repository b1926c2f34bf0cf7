/** Finds the count in a conformance run's messages and calls. */
export const textCount = /Kuckuck (message|call) (\d+):/
