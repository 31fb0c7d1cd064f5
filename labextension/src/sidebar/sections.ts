export const SECTIONS = ["sources", "capabilities", "evidence"] as const;
export type SectionName = (typeof SECTIONS)[number];
