-- tier: all
CREATE VIEW IF NOT EXISTS dm_internal.referring_site
    COMMENT 'One row per site that brings visitors, with its category in the default channel groups of Google Analytics; key name. The last names of each category are of generated data.'
AS
SELECT category, arrayJoin(names) AS name
FROM values('category String, names Array(String)',
    ('search', ['google', 'bing', 'yahoo', 'duckduckgo', 'yandex', 'baidu', 'ecosia', 'qwant', 'startpage', 'brave', 'ask', 'aol', 'naver', 'daum', 'seznam', 'sogou', 'so.com', '360.cn', 'rambler', 'swisscows', 'mojeek', 'kagi', 'lycos', 'excite', 'search.marginalia.nu', 'ya.ru', 'go.mail.ru', 'msn', 'coccoc', 'dogpile', 'metager', 'presearch', 'lilo', 'mamma', 'virgilio', 'search.ukr.net', 'search.smt.docomo.ne.jp', 'goo.ne.jp', 'findwell', 'quest']),
    ('social', ['facebook', 'fb', 'meta', 'instagram', 'ig', 'twitter', 't.co', 'x.com', 'linkedin', 'lnkd.in', 'pinterest', 'pin.it', 'reddit', 'tiktok', 'snapchat', 'threads', 'vk.com', 'vkontakte', 'ok.ru', 'weibo', 'tumblr', 'quora', 'medium', 'whatsapp', 'wa.me', 'telegram', 't.me', 'messenger', 'mastodon', 'bluesky', 'bsky.app', 'discord', 'xing', 'line.me', 'meetup', 'stackoverflow', 'ycombinator', 'stackexchange', 'zhihu', 'douban', 'disqus', 'livejournal', 'mixi', 'hatena', 'flickr', 'digg', 'wattpad', 'wechat', 'tieba.baidu.com', 'friendly', 'pictures', 'clips']),
    ('video', ['youtube', 'youtu.be', 'vimeo', 'dailymotion', 'twitch', 'netflix', 'disneyplus', 'hulu', 'wistia', 'bilibili', 'youku', 'iqiyi', 'rutube', 'veoh', 'ted.com']),
    ('email', ['gmail', 'gmx', 'hotmail', 'protonmail', 'fastmail', 'mailchimp', 'mail.ru', 'web.de', 'deref-gmx', 'deref-web-02', 'poczta.onet.pl', 'poczta.wp.pl', 'poczta.o2.pl', 'gm.android.google.com', 'newsletter', 'postbox']),
    ('shopping', ['amazon', 'ebay', 'etsy', 'walmart', 'aliexpress', 'alibaba', 'idealo', 'shopify', 'shopping']));

ALTER TABLE dm_internal.referring_site
    COMMENT COLUMN category 'search, social, video, email or shopping',
    COMMENT COLUMN name 'Name of a site before its ending, or a whole host';
