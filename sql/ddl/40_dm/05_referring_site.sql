-- tier: all
-- Sites that bring visitors, by the category that the default channel groups of Google Analytics give them; key name:
-- the name of a site before its ending, or a whole host. The last names of each are of generated data.
CREATE VIEW IF NOT EXISTS dm_internal.referring_site AS
SELECT category, arrayJoin(names) AS name
FROM values('category String, names Array(String)',
    ('search', ['google', 'bing', 'yahoo', 'duckduckgo', 'yandex', 'baidu', 'ecosia', 'qwant', 'startpage', 'brave', 'ask', 'aol', 'naver', 'daum', 'seznam', 'sogou', 'so.com', '360.cn', 'rambler', 'swisscows', 'mojeek', 'kagi', 'lycos', 'excite', 'search.marginalia.nu', 'findwell', 'quest']),
    ('social', ['facebook', 'fb.com', 'fb.me', 'instagram', 'ig', 'twitter', 't.co', 'x.com', 'linkedin', 'lnkd.in', 'pinterest', 'pin.it', 'reddit', 'tiktok', 'snapchat', 'threads', 'vk.com', 'vkontakte', 'ok.ru', 'weibo', 'tumblr', 'quora', 'medium', 'whatsapp', 'wa.me', 'telegram', 't.me', 'messenger', 'mastodon', 'bluesky', 'bsky.app', 'discord', 'xing', 'line.me', 'meetup', 'stackoverflow', 'ycombinator', 'friendly', 'pictures', 'clips']),
    ('video', ['youtube', 'youtu.be', 'vimeo', 'dailymotion', 'twitch', 'netflix', 'disneyplus', 'hulu', 'wistia']),
    ('email', ['gmail', 'gmx', 'hotmail', 'protonmail', 'fastmail', 'mailchimp', 'newsletter', 'postbox']),
    ('shopping', ['amazon', 'ebay', 'etsy', 'walmart', 'aliexpress', 'alibaba', 'idealo', 'shopify', 'shopping']));
