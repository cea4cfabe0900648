interface Browser {
  readonly name: string;
  readonly weight: number;
  readonly userAgent: string;
}

export interface Platform {
  readonly weight: number;
  readonly os: string;
  readonly osName: string;
  readonly deviceType: "Computer" | "Mobile" | "Tablet";
  readonly browsers: readonly Browser[];
}

const BLINK = "AppleWebKit/537.36 (KHTML, like Gecko)";
const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";

const chrome = (weight: number, system: string, mobile = ""): Browser => ({
  name: "Chrome",
  weight,
  userAgent: `Mozilla/5.0 (${system}) ${BLINK} Chrome/143.0.0.0 ${mobile}Safari/537.36`,
});

const edge = (weight: number, system: string): Browser => ({
  name: "Edge",
  weight,
  userAgent: `Mozilla/5.0 (${system}) ${BLINK} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0`,
});

const firefox = (weight: number, system: string, engine = "Gecko/20100101"): Browser => ({
  name: "Firefox",
  weight,
  userAgent: `Mozilla/5.0 (${system}; rv:146.0) ${engine} Firefox/146.0`,
});

const samsung = (weight: number, system: string): Browser => ({
  name: "Samsung Internet",
  weight,
  userAgent: `Mozilla/5.0 (${system}) ${BLINK} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`,
});

const safari = (weight: number, system: string, mobile = ""): Browser => ({
  name: "Safari",
  weight,
  userAgent: `Mozilla/5.0 (${system}) ${WEBKIT} Version/18.6 ${mobile}Safari/604.1`,
});

const WINDOWS = "Windows NT 10.0; Win64; x64";
const MAC = "Macintosh; Intel Mac OS X 10_15_7";
const LINUX = "X11; Linux x86_64";
const ANDROID = "Linux; Android 10; K";

export const platforms: readonly Platform[] = [
  {
    weight: 26,
    os: "Windows 11",
    osName: "Windows",
    deviceType: "Computer",
    browsers: [chrome(6, WINDOWS), edge(3, WINDOWS), firefox(1, WINDOWS)],
  },
  {
    weight: 8,
    os: "Windows 10",
    osName: "Windows",
    deviceType: "Computer",
    browsers: [chrome(7, WINDOWS), edge(2, WINDOWS), firefox(1, WINDOWS)],
  },
  {
    weight: 10,
    os: "macOS 15",
    osName: "macOS",
    deviceType: "Computer",
    browsers: [safari(5, MAC), chrome(4, MAC), firefox(1, MAC)],
  },
  {
    weight: 3,
    os: "Ubuntu 24.04",
    osName: "Linux",
    deviceType: "Computer",
    browsers: [firefox(1, LINUX), chrome(1, LINUX)],
  },
  {
    weight: 18,
    os: "Android 16",
    osName: "Android",
    deviceType: "Mobile",
    browsers: [chrome(7, ANDROID, "Mobile "), samsung(2, ANDROID)],
  },
  {
    weight: 10,
    os: "Android 15",
    osName: "Android",
    deviceType: "Mobile",
    browsers: [
      chrome(7, ANDROID, "Mobile "),
      samsung(2, ANDROID),
      firefox(1, "Android 15; Mobile", "Gecko/146.0"),
    ],
  },
  {
    weight: 18,
    os: "iOS 18",
    osName: "iOS",
    deviceType: "Mobile",
    browsers: [safari(1, "iPhone; CPU iPhone OS 18_6 like Mac OS X", "Mobile/15E148 ")],
  },
  {
    weight: 4,
    os: "iPadOS 18",
    osName: "iPadOS",
    deviceType: "Tablet",
    browsers: [safari(1, "iPad; CPU OS 18_6 like Mac OS X", "Mobile/15E148 ")],
  },
  {
    weight: 3,
    os: "Android 15",
    osName: "Android",
    deviceType: "Tablet",
    browsers: [chrome(1, ANDROID)],
  },
];
