const PATHS = {
	error:
		"M5.2 1.8h5.6l3.4 3.400v5.600l-3.400 3.400H5.200l-3.400-3.400V5.200L5.200 1.800ZM5.800 5.800l4.400 4.400M10.200 5.800l-4.400 4.400",
	warning: "M8 2.2 14.5 13.5H1.5L8 2.2ZM8 6.4v3.4M8 11.6v.3",
	info: "M2.500 2.500h11v11h-11zM8 7.200v4M8 4.800v.3",
	check: "M3 8.5l3.4 3.4L13 4.6",
	cross: "M4 4l8 8M12 4l-8 8",
	chevron: "M4.5 6.5 8 10l3.5-3.5",
	minus: "M4 8h8",
	plus: "M8 3.2v9.6M3.2 8h9.6",
	clock:
		"M3.500 2h9M3.500 14h9M4.500 2v2.500L8 8l3.500-3.500V2M4.500 14v-2.500L8 8l3.500 3.500V14",
	copy: "M5.500 5.500h8v8h-8zM3 10.500h-.5v-8h8V3",
	dots: "M3.5 8h.01M8 8h.01M12.5 8h.01",
	link: "M6.6 9.4 9.4 6.6M7.2 4.6l1.2-1.2a3 3 0 0 1 4.2 4.2l-1.2 1.2M8.8 11.4l-1.2 1.2a3 3 0 0 1-4.2-4.2l1.2-1.2",
	sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6ZM8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1",
	moon: "M13.4 9.6A5.6 5.6 0 0 1 6.4 2.6a5.7 5.7 0 1 0 7 7Z",
	system: "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
	globe:
		"M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM1.8 8h12.4M8 1.5c2 2 2.6 4.2 2.6 6.5S10 12.500 8 14.500C6 12.500 5.400 10.300 5.400 8S6 3.500 8 1.500",
	book: "M2.500 3h4A1.500 1.500 0 0 1 8 4.500V13.500A1.500 1.500 0 0 0 6.500 12h-4V3ZM13.500 3h-4A1.500 1.500 0 0 0 8 4.500V13.500A1.500 1.500 0 0 1 9.500 12h4V3Z",
	keyboard:
		"M1.500 4h13v8h-13zM4 6.500h.01M6.700 6.500h.01M9.300 6.500h.01M12 6.500h.01M5 9.500h6",
	reset: "M3 8a5 5 0 1 0 1.600-3.700M3 2.500v2.600h2.600",
	manifest:
		"M4 1.800h5.500L12.500 4.800v9.400H4zM9.500 1.800v3h3M6 8h4.500M6 10.800h4.500",
	nodes:
		"M2.200 3h11.600v4H2.200zM2.200 9h11.600v4H2.200zM4.600 5h.01M4.600 11h.01",
	stored:
		"M8 2c3 0 5 .9 5 2s-2 2-5 2-5-.9-5-2 2-2 5-2ZM3 4v8c0 1.100 2 2 5 2s5-.9 5-2V4M3 8c0 1.100 2 2 5 2s5-.9 5-2",
	patch: "M5 2.500v11M11 2.500v11M2.500 5.500h5M8.500 10.500h5",
	settings: "M2 4.500h7M12 4.500h2M2 11.500h2M7 11.500h7M10.500 3v3M5.500 10v3",
	config: "M2 4.500h7M12 4.500h2M2 11.500h2M7 11.500h7M10.500 3v3M5.500 10v3",
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing; it never carries meaning alone, so it is hidden from screen readers. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
	const width = name === "dots" ? 2.4 : 1.5;
	return (
		<svg
			class={`icon icon-${name}`}
			width={size}
			height={size}
			viewBox="0 0 16 16"
			fill="none"
			stroke="currentColor"
			stroke-width={width}
			stroke-linecap="round"
			stroke-linejoin="round"
			aria-hidden="true"
		>
			<path d={PATHS[name]} />
		</svg>
	);
}
